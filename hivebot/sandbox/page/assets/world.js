// What do ids stand for? People, channels, desks and permalinks of this workspace, for one person.

export class World {
  scene = null;
  desks = [];

  person(id) {
    return this.scene?.people.find((one) => one.id === id);
  }

  personName(id, full = false) {
    const found = this.person(id);
    return found ? (full ? found.real_name : found.name) : id;
  }

  groupName(id) {
    return this.scene?.groups.find((one) => one.id === id)?.handle;
  }

  channel(id) {
    return this.scene?.channels.find((one) => one.id === id);
  }

  channelName(id) {
    return this.channel(id)?.name;
  }

  get botName() {
    return this.personName(this.scene.app.user, true);
  }

  // A channel as a title: `#payments`, or whom a direct message is with.
  title(channel) {
    if (channel.kind === "im") return this.botName;
    if (channel.kind === "mpim") {
      const others = channel.members.filter((one) => one !== this.scene.me).map((one) => this.personName(one, true));
      return others.join(", ");
    }
    return `#${channel.name}`;
  }

  desk(channel) {
    return this.desks.find((one) => one.channel === channel);
  }

  // Text with ids in it as people read it, for the bot's own record of what was asked.
  named(text) {
    return text
      .replace(/@(U[A-Z0-9]+)/g, (_, id) => `@${this.personName(id)}`)
      .replace(/#(C[A-Z0-9]+)/g, (whole, id) => (this.channelName(id) ? `#${this.channelName(id)}` : whole));
  }

  // Slack's text as it was typed, to be edited.
  typed(text) {
    return text
      .replace(/<@(\w+)>/g, (_, id) => `@${this.personName(id)}`)
      .replace(/<#(\w+)(\|[^>]*)?>/g, (_, id) => `#${this.channelName(id) ?? id}`)
      .replace(/<!subteam\^(\w+)(\|[^>]*)?>/g, (_, id) => `@${this.groupName(id) ?? id}`)
      .replace(/<!(\w+)>/g, "@$1")
      .replace(/<([^>|]+)(\|[^>]*)?>/g, "$1")
      .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  }

  // The place here that a permalink of the workspace means, or null.
  permalink(url) {
    const home = new URL(this.scene.team.url);
    const match = url.host === home.host && url.pathname.match(/^\/archives\/(\w+)(?:\/p(\d{10})(\d{6}))?/);
    if (!match || !this.channel(match[1])) return null;
    const [, channel, seconds, micros] = match;
    const thread = url.searchParams.get("thread_ts");
    if (thread) return `#/${channel}/${thread}`;
    return seconds ? `#/${channel}//${seconds}.${micros}` : `#/${channel}`;
  }
}
