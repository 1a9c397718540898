const LITERAL = /[A-Za-z0-9+/]{60,}={0,2}/g;
const DECODES = /base64\s+(?:-[a-zA-Z]*[dD]|--decode)|base64\.b64decode|frombase64string|atob\(/i;
const MAX_LITERALS = 20;
const MAX_DECODED = 50_000;

export function decodedTexts(script: string): string[] {
  if (!DECODES.test(script)) return [];
  const found: string[] = [];
  for (const [literal] of script.matchAll(LITERAL)) {
    if (found.length >= MAX_LITERALS) break;
    const text = decode(literal.slice(0, MAX_DECODED));
    if (text !== undefined) found.push(text);
  }
  return found;
}

const SAVED_AND_RUN =
  /base64\s+(?:-[a-zA-Z]{0,5}[dD][a-zA-Z]{0,5}|--decode)\b[^\n;&|]{0,100}>\s{0,9}["']?([\w./$-]{1,100})["']?[\s;&|][^]{0,1000}?\b(?:bash|sh|zsh|dash|source|python3?|node)\s+["']?\1(?=["'\s;&|)]|$)/;

export function savesAndRuns(script: string): boolean {
  return SAVED_AND_RUN.test(script) && decodedTexts(script).length > 0;
}

function decode(literal: string): string | undefined {
  try {
    const text = atob(literal.slice(0, literal.length - (literal.replace(/(?<!=)=+$/, '').length % 4 === 1 ? 1 : 0)));
    return /^[\t\n\r\x20-\x7E]+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
