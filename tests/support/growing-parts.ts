export const PATH = '.github/workflows/a.yml';
export const STEPS = 1_900;
export const JOBS = 950;
export const VARIABLES = 950;

export function times(count: number, each: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => each(index)).join('');
}

export function upTo(bytes: number, each: (index: number) => string, most = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes && index < most; index += 1) {
    const part = each(index);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

export function job(steps: string, on = 'pull_request_target'): string {
  return `on: ${on}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
}

export const steps = (bytes: number, each: (index: number) => string): string => job(upTo(bytes, each, STEPS));
export const jobs = (bytes: number, each: (index: number) => string): string =>
  `on: pull_request_target\njobs:\n${upTo(bytes, each, JOBS)}`;
export function scripts(bytes: number, each: (bytes: number, index: number) => string): string {
  const count = Math.ceil(bytes / 40_000);
  return job(times(count, (index) => each(bytes / count, index)));
}

export const script = (bytes: number, each: (index: number) => string): string =>
  scripts(bytes, (part, number) => {
    const lines = upTo(part, (index) => `        ${each(index + number * 10_000)}\n`);
    return `    - run: |\n${lines}`;
  });
export const run = (text: string): string => `    - run: ${text}\n`;
