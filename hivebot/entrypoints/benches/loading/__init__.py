"""Does it keep up, within Slack's limits? A steady load, and a burst. `hivebot bench load`."""
