"""Does deliberating pay for this desk? Its own agents on decisions whose answer is known."""
