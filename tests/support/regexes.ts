import { existsSync, readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { type Argument, parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';
import { sourceFiles } from './imports.ts';

export interface Regex {
  readonly pattern: string;
  readonly flags: string;
  readonly place: string;
}

export interface DynamicRegex extends Regex {
  readonly source: string;
}

export interface Attack {
  readonly pumps: readonly (readonly [prefix: string, pump: string])[];
  readonly suffix: string;
}

export type Verdict =
  | { readonly kind: 'linear' }
  | { readonly kind: 'measured'; readonly because: string; readonly attack?: Attack }
  | { readonly kind: 'superlinear'; readonly because: string };

export function regexesOf(
  file: string,
  text = readFileSync(file, 'utf8'),
): { readonly regexes: readonly Regex[]; readonly dynamic: readonly DynamicRegex[] } {
  const regexes: Regex[] = [];
  const dynamic: DynamicRegex[] = [];
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  const placeOf = (start: number): string => `${file}:${text.slice(0, start).split('\n').length}`;
  const construct = (start: number, [source, second]: readonly Argument[]): void => {
    if (source === undefined) return;
    const flags = second?.type === 'Literal' && typeof second.value === 'string' ? second.value : '';
    const place = placeOf(start);
    if (source.type === 'Literal' && typeof source.value === 'string') {
      regexes.push({ pattern: source.value, flags, place });
    } else if (source.type === 'TemplateLiteral') {
      const pattern = source.quasis.map(({ value }) => value.cooked).join('NAME');
      if (source.expressions.length === 0) regexes.push({ pattern, flags, place });
      else dynamic.push({ pattern, flags, place, source: text.slice(source.start, source.end) });
    } else {
      dynamic.push({ pattern: 'NAME', flags, place, source: text.slice(source.start, source.end) });
    }
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) regexes.push({ ...node.regex, place: placeOf(node.start) });
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') construct(node.start, node.arguments);
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') construct(node.start, node.arguments);
    },
  }).visit(program);
  return { regexes, dynamic };
}

export const VERDICTS = 'tests/architecture/regexes.json';

export type Stored = 'linear' | { readonly because: string; readonly attack?: Attack };

export interface Verdicts {
  readonly dynamic: Readonly<Record<string, string>>;
  readonly regexes: Readonly<Record<string, Stored>>;
}

export function readVerdicts(): Verdicts {
  if (!existsSync(VERDICTS)) return { dynamic: {}, regexes: {} };
  return JSON.parse(readFileSync(VERDICTS, 'utf8')) as Verdicts;
}

export interface Listed {
  readonly regex: Pick<Regex, 'pattern' | 'flags'>;
  readonly places: string[];
}

export function listRegexes(): {
  readonly regexes: ReadonlyMap<string, Listed>;
  readonly dynamic: readonly DynamicRegex[];
} {
  const regexes = new Map<string, Listed>();
  const dynamic: DynamicRegex[] = [];
  for (const file of sourceFiles('lib', /\.(?:ts|tsx|mjs)$/)) {
    if (/^lib\/(?:tools|simulator|launcher)\//.test(file)) continue;
    const found = regexesOf(file);
    dynamic.push(...found.dynamic);
    for (const { place, ...regex } of [...found.regexes, ...found.dynamic]) {
      const name = nameOfRegex(regex);
      const listed = regexes.get(name);
      if (listed === undefined) regexes.set(name, { regex, places: [place] });
      else listed.places.push(place);
    }
  }
  return { regexes, dynamic };
}

export function nameOfRegex({ pattern, flags }: Pick<Regex, 'pattern' | 'flags'>): string {
  return `/${pattern}/${flags}`;
}

/**
 * Judges how the time of a search grows with the text. Measures what recheck cannot decide or finds slow within a
 * bounded repetition, and global expressions, since recheck models a single search.
 */
export async function judge(regex: Pick<Regex, 'pattern' | 'flags'>, timeout: number): Promise<Verdict> {
  process.env['RECHECK_BACKEND'] = 'worker';
  const found = await check(regex.pattern, regex.flags, { timeout, signal: AbortSignal.timeout(timeout + 20_000) });
  if (found.status === 'vulnerable') {
    const because = `${found.complexity.summary}: ${found.attack.pattern}`;
    const attack: Attack = {
      pumps: found.attack.pumps.map(({ prefix, pump }) => [prefix, pump] as const),
      suffix: found.attack.suffix,
    };
    if (found.complexity.type === 'exponential') return { kind: 'superlinear', because };
    const slow = [attack, ...attacksOn(regex)].find((each) => !growsLinearly(regex, each));
    if (slow !== undefined) return { kind: 'superlinear', because: `${because}, and ${show(slow)} was measured` };
    return { kind: 'measured', because: 'bounded repetition', attack };
  }
  const proven = found.status === 'safe' && found.checker === 'automaton' && !regex.flags.includes('g');
  const slow = proven ? undefined : attacksOn(regex).find((each) => !growsLinearly(regex, each));
  if (slow !== undefined) return { kind: 'superlinear', because: `measured: ${show(slow)}` };
  return found.status === 'safe' ? { kind: 'linear' } : { kind: 'measured', because: 'undecided' };
}

export function isStillLinear(regex: Pick<Regex, 'pattern' | 'flags'>, attack: Attack | undefined): boolean {
  return (attack === undefined ? attacksOn(regex) : [attack]).every((each) => growsLinearly(regex, each));
}

interface Comparison {
  readonly small: number;
  readonly large: number;
  readonly mostGrowth: number;
}

/**
 * For four (eight) times the text, linear searches take four (eight) times as long, quadratic ones sixteen (64) times,
 * which a busy machine does not blur.
 */
const QUICK: Comparison = { small: 4_000, large: 16_000, mostGrowth: 7 };
const THOROUGH: Comparison = { small: 2_000, large: 16_000, mostGrowth: 24 };
const NOTHING_MS = 4;
const MOST_MS = 5_000;
/** Other threads of the process count too: the shortest of several measurements is the least disturbed. */
const TRIES = 12;
/** V8 interprets an expression at first: a short text that takes long then looks like linear growth. */
const FEWEST_TRIES = 3;

export function growsLinearly(regex: Pick<Regex, 'pattern' | 'flags'>, attack: Attack): boolean {
  return staysWithin(QUICK, regex, attack) || staysWithin(THOROUGH, regex, attack);
}

function staysWithin(
  { small, large, mostGrowth }: Comparison,
  regex: Pick<Regex, 'pattern' | 'flags'>,
  attack: Attack,
): boolean {
  const compiled = new RegExp(regex.pattern, regex.flags);
  const [warm, short, long] = [200, small, large].map((length) => textOf(attack, length)) as [string, string, string];
  if (duration(compiled, warm) === undefined) return false;
  let first = Number.POSITIVE_INFINITY;
  let second = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const shorter = duration(compiled, short);
    if (shorter === undefined) return false;
    first = Math.min(first, shorter);
    second = Math.min(second, duration(compiled, long) ?? Number.POSITIVE_INFINITY);
    if (second <= NOTHING_MS) return true;
    if (attempt < FEWEST_TRIES) continue;
    if (second <= first * mostGrowth) return true;
    if (second > 2 * mostGrowth * Math.max(NOTHING_MS, first)) return false;
  }
  return false;
}

function textOf({ pumps, suffix }: Attack, length: number): string {
  const fixed = pumps.reduce((sum, [prefix]) => sum + prefix.length, suffix.length);
  const each = Math.max(1, Math.floor((length - fixed) / pumps.length));
  return `${pumps.map(([prefix, pump]) => prefix + pump.repeat(Math.ceil(each / Math.max(1, pump.length)))).join('')}${suffix}`;
}

const SEARCH = new Script("text.replace(regex, '')");
const SANDBOX = createContext({});

function duration(regex: RegExp, text: string): number | undefined {
  Object.assign(SANDBOX, { regex, text });
  const start = process.cpuUsage();
  try {
    SEARCH.runInContext(SANDBOX, { timeout: MOST_MS });
  } catch {
    return undefined;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

const MOST_UNITS = 16;

function attacksOn({ pattern }: Pick<Regex, 'pattern'>): Attack[] {
  const plain = pattern.replace(/\\[bBdDsSwW]|\(\?(?:[:=!]|<[=!]|<\w{0,40}>)|\{\d+,?\d*\}/g, ' ');
  const words = plain.replace(/\[[^\]]*\]/g, ' ').match(/\w{2,40}/g) ?? [];
  const signs = plain.replace(/[\s\w\\[\]()?*+^]/g, '');
  const units = [...new Set([' ', 'a', '0', '\n', ...words.slice(0, 6), ...signs.split(''), ...words])].slice(
    0,
    MOST_UNITS,
  );
  const pumps = units.flatMap((one) => units.map((other) => (one === other ? one : one + other)));
  return pumps.flatMap((pump) => [
    { pumps: [['', pump] as const], suffix: '\0' },
    { pumps: [[words[0] ?? '', pump] as const], suffix: '\n!' },
  ]);
}

function show({ pumps, suffix }: Attack): string {
  const parts = pumps.map(([prefix, pump]) => `${JSON.stringify(prefix)} + ${JSON.stringify(pump)}.repeat(n)`);
  return [...parts, JSON.stringify(suffix)].join(' + ');
}
