// Which sign is an emoji's name? Only those that are used here; others stay `:name:`.

const SIGNS = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", eyes: "👀", white_check_mark: "✅",
  heavy_check_mark: "✔️", x: "❌", heart: "❤️", tada: "🎉", bulb: "💡", raised_hands: "🙌", pray: "🙏",
  question: "❓", warning: "⚠️", no_entry: "⛔", hourglass: "⌛", hourglass_flowing_sand: "⏳",
  speech_balloon: "💬", pencil: "📝", pencil2: "✏️", memo: "📝", lock: "🔒", bell: "🔔", repeat: "🔁",
  credit_card: "💳", scales: "⚖️", gear: "⚙️", floppy_disk: "💾", seedling: "🌱",
  card_file_box: "🗃️", chart_with_upwards_trend: "📈", satellite_antenna: "📡", compass: "🧭",
  robot_face: "🤖", thinking_face: "🤔", smile: "😄", wave: "👋", fire: "🔥", rocket: "🚀",
  bee: "🐝", honeybee: "🐝", mag: "🔍", books: "📚", point_right: "👉", ok_hand: "👌",
  octagonal_sign: "🛑", arrows_counterclockwise: "🔄", wastebasket: "🗑️",
};

export const PICKED = ["+1", "-1", "white_check_mark", "x", "eyes", "heart", "tada", "question"];

export function emoji(name) {
  return SIGNS[name] ?? null;
}
