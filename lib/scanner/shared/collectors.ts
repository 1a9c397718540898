/** Services that let anyone receive data, and tunnels to anonymous machines. */
export const COLLECTOR =
  /(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|requestcatcher\.com|pipedream\.net|beeceptor\.com|hookbin\.com|interact\.sh|interactsh\.com|oast\.(?:pro|live|site|online|fun|me)|oastify\.com|burpcollaborator\.net|dnslog\.cn|ceye\.io|ngrok\.(?:io|app|dev)|ngrok-free\.(?:app|dev)|trycloudflare\.com|serveo\.net|localhost\.run|loca\.lt|pastebin\.com|paste\.ee|termbin\.com|transfer\.sh|file\.io|0x0\.st|bashupload\.com)$/;
