export function coreToolsIn(settings: string): string | undefined {
  const match = /"(?:coreTools|core)"\s{0,20}:\s{0,20}\[([^\]]{0,4000})/.exec(settings);
  return match !== null && settings[match.index + match[0].length] === ']' ? match[1] : undefined;
}
