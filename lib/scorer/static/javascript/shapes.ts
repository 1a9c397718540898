import ipaddr from 'ipaddr.js';
import { COLLECTOR } from '#lib/scanner/shared/collectors.ts';
import { childrenOf, nodeIn, nodesIn, type Parsed, parseJavaScript, type SyntaxNode, textIn } from './parse.ts';
import { type Site, sitesOf } from './scopes.ts';
import { type Callee, propertyOf, UNKNOWN_PART, Values } from './values.ts';

export interface Shape {
  readonly what: string;
  readonly line: number;
}

export interface ScriptText {
  readonly text: string;
  readonly runs: boolean;
  readonly line: number;
}

export interface JavaScriptShapes {
  readonly malicious: readonly Shape[];
  readonly remote: readonly Shape[];
  readonly scripts: readonly ScriptText[];
  readonly modules: readonly string[];
}

const WANTED = new Set([
  'CallExpression',
  'NewExpression',
  'TaggedTemplateExpression',
  'ImportExpression',
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'TemplateLiteral',
]);
const MIN_LITERAL = 8;

export function shapesOf(text: string): JavaScriptShapes | Extract<Parsed, { problem: unknown }> {
  const parsed = parseJavaScript(text);
  if ('problem' in parsed) return parsed;
  try {
    return new ShapeReader(text, parsed.root).read();
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'too_large' };
    throw error;
  }
}

/** Methods that start a program; excludes `exec`, which regular expressions have too. */
const STARTS =
  /^(?:execSync|execFile|execFileSync|spawn|spawnSync|fork|getExecOutput|execa|execaSync|execaCommand|execaCommandSync|\$)$/;
const PROCESS_MODULE = /^(?:child_process|@actions\/exec|execa|zx|\d+)$/;
const EVALUATES = /^(?:runInThisContext|runInNewContext|runInContext|compileFunction|_compile)$/;
const DECOMPRESSES = /^(?:inflate|inflateRaw|gunzip|unzip|brotliDecompress|zstdDecompress)Sync$/;
const TALKS = /^(?:fetch|axios|got|needle|request|post|put|patch|get)$/;
const ENCODING = /^(?:base64|base64url|hex)$/i;

const SCRIPT_SIGN =
  /\|\s{0,9}(?:sudo\s+)?(?:base64|xxd|bash|sh|zsh|python3?|node|perl)\b|\/dev\/(?:tcp|udp)\/|Runner\.Worker/;
const MIN_SCRIPT = 8;
const MAX_SCRIPT_TEXTS = 200;
const MIN_CODES = 20;
const MAX_SEARCHED = 400;
const MAX_TEMPLATE = 100_000;

const METADATA_SERVERS_AND_RESOLVERS = new Set([
  '168.63.129.16',
  '1.1.1.1',
  '1.0.0.1',
  '8.8.8.8',
  '8.8.4.4',
  '9.9.9.9',
]);

class ShapeReader {
  readonly #text: string;
  readonly #sites: readonly Site[];
  readonly #values = new Values();
  readonly #malicious = new Map<string, Shape>();
  readonly #remote = new Map<string, Shape>();
  readonly #scripts = new Map<string, ScriptText>();
  readonly #modules = new Set<string>();
  #line = { offset: 0, line: 1 };

  constructor(text: string, root: SyntaxNode) {
    this.#text = text;
    const hasMemoryPath = text.includes('/proc/');
    this.#sites = sitesOf(root, ({ type, value, operator }) => {
      if (type === 'Literal') return typeof value === 'string' && value.length >= MIN_LITERAL;
      return WANTED.has(type) || (hasMemoryPath && type === 'BinaryExpression' && operator === '+');
    });
  }

  read(): JavaScriptShapes {
    for (const site of this.#sites) this.#look(site);
    return {
      malicious: [...this.#malicious.values()],
      remote: [...this.#remote.values()],
      scripts: [...this.#scripts.values()],
      modules: [...this.#modules],
    };
  }

  #look(site: Site): void {
    const { node } = site;
    switch (node.type) {
      case 'Literal':
      case 'TemplateLiteral':
        return this.#lookAtText(site);
      case 'BinaryExpression':
        return this.#lookAtSum(site);
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration': {
        const source = textIn(nodeIn(node, 'source'), 'value');
        if (source !== undefined) this.#modules.add(source);
        return;
      }
      case 'ImportExpression':
        return this.#lookAtImport(site);
      default:
        return this.#lookAtCall(site);
    }
  }

  #lookAtText(site: Site): void {
    const { node } = site;
    const isPlain = node.type === 'Literal';
    if (!isPlain && node.end - node.start > MAX_TEMPLATE) return;
    const text = isPlain ? (node['value'] as string) : (this.#values.text(site) ?? '');
    this.#lookForMemory(text, node);
    if (text.length > 20 && SCRIPT_SIGN.test(text)) this.#addScript(text, false, node);
  }

  #lookAtSum(site: Site): void {
    const { node } = site;
    if (node.end - node.start > 400 || !this.#text.slice(node.start, node.end).includes('/proc/')) return;
    this.#lookForMemory(this.#values.text(site) ?? '', node);
  }

  #lookForMemory(text: string, node: SyntaxNode): void {
    const reads =
      /^\/proc\/[^/\s]{1,80}\/mem$/.test(text) ||
      (text.includes('Runner.Worker') && /\/proc\/[^\s]{1,80}\/(?:mem|maps)\b|\bgcore\b|procdump/.test(text));
    if (reads) this.#add(this.#malicious, 'reads the memory of other processes', node);
  }

  #lookAtImport({ node, scope }: Site): void {
    const source = nodeIn(node, 'source');
    const text = source && this.#values.text({ node: source, scope });
    if (text === undefined) return;
    this.#modules.add(text);
    if (/^data:[^,]{0,100};base64,/.test(text)) this.#add(this.#malicious, 'runs code that it decodes', node);
  }

  #lookAtCall(site: Site): void {
    const { node, scope } = site;
    const callee = this.#values.calleeOf(site);
    if (callee === undefined) return;
    const own = node.type === 'TaggedTemplateExpression' ? nodeIn(node, 'quasi') : undefined;
    const args = (own === undefined ? nodesIn(node, 'arguments') : [own]).map((each): Site => ({ node: each, scope }));
    if (callee.name === 'require' && callee.free) {
      const module = args[0] && this.#values.text(args[0]);
      if (module !== undefined) this.#modules.add(module);
      return;
    }
    const evaluates = isEvaluation(callee, node);
    const starts = !evaluates && startsProgram(callee, this.#values);
    if ((evaluates || starts) && args.some((each) => this.#holdsDecoded(each))) {
      this.#add(this.#malicious, 'runs code that it decodes', node);
    }
    if (evaluates && args.some((each) => this.#contains(each, (inner) => this.#fetches(inner)))) {
      this.#add(this.#remote, 'runs code that it fetches', node);
    }
    if (starts) this.#collectScripts(args, node);
    if (TALKS.test(callee.name)) this.#lookAtRequest(args, node);
    const sends =
      TALKS.test(callee.name) || (/^(?:write|end|send)$/.test(callee.name) && this.#isRequest(callee.object));
    if (sends && args.some((each) => this.#contains(each, (inner) => this.#dumpsEnvironment(inner)))) {
      this.#add(this.#malicious, 'sends the whole environment', node);
    } else if (this.#encodesDump(callee, args)) {
      this.#add(this.#malicious, 'encodes the whole environment', node);
    }
  }

  #isRequest(object: Site | undefined): boolean {
    if (object === undefined) return false;
    const { node, scope } = this.#values.resolve(object);
    return node.type === 'CallExpression' && this.#values.calleeOf({ node, scope })?.name === 'request';
  }

  #fetches({ node, scope }: Site): boolean {
    if (node.type !== 'CallExpression') return false;
    const callee = this.#values.calleeOf({ node, scope });
    return callee !== undefined && /^(?:fetch|got|axios)$/.test(callee.name) && callee.object === undefined;
  }

  #holdsDecoded(site: Site): boolean {
    const { node, scope } = this.#values.resolve(site);
    if (node.type !== 'ArrayExpression') return this.#isDecoded(site, 0);
    return nodesIn(node, 'elements')
      .slice(0, 20)
      .some((element) => this.#isDecoded({ node: element, scope }, 0));
  }

  #isDecoded(site: Site, depth: number): boolean {
    if (depth > 8) return false;
    const { node, scope } = this.#values.resolve(site);
    const inner = (each: SyntaxNode | undefined): boolean =>
      each !== undefined && this.#isDecoded({ node: each, scope }, depth + 1);
    if (node.type === 'BinaryExpression' && node['operator'] === '+') {
      return inner(nodeIn(node, 'left')) || inner(nodeIn(node, 'right'));
    }
    if (node.type === 'TemplateLiteral') return nodesIn(node, 'expressions').slice(0, 20).some(inner);
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
    const callee = this.#values.calleeOf({ node, scope });
    const [first, second] = nodesIn(node, 'arguments');
    if (callee === undefined) return false;
    if (callee.name === 'atob') return true;
    const encoding = second && this.#values.text({ node: second, scope });
    if (ENCODING.test(encoding ?? '')) {
      const buffer = callee.name === 'from' ? callee.object : undefined;
      if (callee.name === 'Buffer' || (buffer !== undefined && nameOf(buffer.node) === 'Buffer')) return true;
    }
    if (callee.name === 'fromCharCode') {
      const codes = first?.type === 'SpreadElement' ? nodeIn(first, 'argument') : undefined;
      const list = codes?.type === 'ArrayExpression' ? nodesIn(codes, 'elements') : nodesIn(node, 'arguments');
      return list.length >= MIN_CODES && list.every(({ type }) => type === 'Literal');
    }
    if (callee.name === 'apply' && nameOf(callee.object?.node) === 'fromCharCode') {
      return second?.type === 'ArrayExpression' && nodesIn(second, 'elements').length >= MIN_CODES;
    }
    if (/^(?:toString|trim|replace|slice)$/.test(callee.name) && callee.object !== undefined) {
      return this.#isDecoded(callee.object, depth + 1);
    }
    if (/^(?:decode|decodeURIComponent|unescape|escape)$/.test(callee.name) || DECOMPRESSES.test(callee.name)) {
      return inner(first);
    }
    return false;
  }

  #dumpsEnvironment({ node, scope }: Site): boolean {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
    const callee = this.#values.calleeOf({ node, scope });
    if (callee === undefined || !/^(?:stringify|inspect|entries|URLSearchParams)$/.test(callee.name)) return false;
    const [first] = nodesIn(node, 'arguments');
    return first !== undefined && this.#isEnvironment({ node: first, scope });
  }

  #isEnvironment(site: Site, depth = 0): boolean {
    const { node, scope } = this.#values.resolve(site);
    if (propertyOf(node) === 'env') return nameOf(nodeIn(node, 'object')) === 'process';
    if (node.type !== 'ObjectExpression' || depth > 2) return false;
    return nodesIn(node, 'properties')
      .slice(0, 50)
      .some((property) => {
        const value = nodeIn(property, property.type === 'SpreadElement' ? 'argument' : 'value');
        return value !== undefined && this.#isEnvironment({ node: value, scope }, depth + 1);
      });
  }

  #encodesDump({ name, object }: Callee, args: readonly Site[]): boolean {
    if (name === 'btoa') return args.some((each) => this.#dumpsEnvironment(this.#values.resolve(each)));
    const [encoding] = args;
    if (name !== 'toString' || object === undefined || encoding === undefined) return false;
    if (!ENCODING.test(this.#values.text(encoding) ?? '')) return false;
    const { node, scope } = this.#values.resolve(object);
    const [first] = nodesIn(node, 'arguments');
    return (
      first !== undefined &&
      this.#values.calleeOf({ node, scope })?.name === 'from' &&
      this.#dumpsEnvironment(this.#values.resolve({ node: first, scope }))
    );
  }

  #lookAtRequest(args: readonly Site[], node: SyntaxNode): void {
    for (const arg of args.slice(0, 3)) {
      const { node: value, scope } = this.#values.resolve(arg);
      const host =
        value.type === 'ObjectExpression'
          ? this.#hostIn(value, scope)
          : value.type === 'NewExpression'
            ? this.#hostOf({ node: nodesIn(value, 'arguments')[0] ?? value, scope })
            : this.#hostOf(arg);
      if (host === undefined) continue;
      const what = COLLECTOR.test(host)
        ? `talks to ${host}, where anyone can collect data`
        : isPublicAddress(host)
          ? `talks to the bare address ${host}`
          : undefined;
      if (what !== undefined) this.#add(this.#malicious, what, node);
    }
  }

  #hostIn(object: SyntaxNode, scope: Site['scope']): string | undefined {
    for (const property of nodesIn(object, 'properties').slice(0, 50)) {
      const key = nodeIn(property, 'key');
      const name = textIn(key, 'name') ?? textIn(key, 'value') ?? '';
      const value = nodeIn(property, 'value');
      if (value === undefined || !/^(?:host|hostname|url|uri|baseURL)$/.test(name)) continue;
      const text = this.#values.text({ node: value, scope });
      const host = text === undefined || name.startsWith('host') ? text : hostIn(text);
      if (host !== undefined) return host;
    }
    return undefined;
  }

  #hostOf(site: Site): string | undefined {
    const text = this.#values.text(site);
    return text === undefined ? undefined : hostIn(text);
  }

  #collectScripts(args: readonly Site[], node: SyntaxNode): void {
    for (const arg of args) {
      const { node: value, scope } = this.#values.resolve(arg);
      const parts = value.type === 'ArrayExpression' ? nodesIn(value, 'elements').slice(0, 20) : undefined;
      const sites = parts === undefined ? [arg] : parts.map((each): Site => ({ node: each, scope }));
      for (const each of sites) {
        const text = this.#values.text(each);
        if (text !== undefined && text.length >= MIN_SCRIPT && /\s/.test(text)) this.#addScript(text, true, node);
      }
    }
  }

  #contains({ node, scope }: Site, wanted: (site: Site) => boolean): boolean {
    const stack: Site[] = [{ node, scope }];
    for (let searched = 0; searched < MAX_SEARCHED; searched += 1) {
      const next = stack.pop();
      if (next === undefined) return false;
      const site = this.#values.resolve(next);
      if (wanted(site)) return true;
      if (/Function/.test(site.node.type)) continue;
      for (const child of childrenOf(site.node)) {
        if (stack.length >= MAX_SEARCHED) break;
        stack.push({ node: child, scope: site.scope });
      }
    }
    return false;
  }

  #addScript(text: string, runs: boolean, node: SyntaxNode): void {
    const script = text.replaceAll(UNKNOWN_PART, '$UNKNOWN');
    const known = this.#scripts.get(script);
    if ((known === undefined && this.#scripts.size >= MAX_SCRIPT_TEXTS) || known?.runs === true) return;
    this.#scripts.set(script, { text: script, runs, line: this.#lineOf(node) });
  }

  #add(shapes: Map<string, Shape>, what: string, node: SyntaxNode): void {
    if (!shapes.has(what)) shapes.set(what, { what, line: this.#lineOf(node) });
  }

  #lineOf({ start }: SyntaxNode): number {
    let { offset, line } = start < this.#line.offset ? { offset: 0, line: 1 } : this.#line;
    for (let at = this.#text.indexOf('\n', offset); at !== -1 && at < start; at = this.#text.indexOf('\n', at + 1)) {
      line += 1;
      offset = at + 1;
    }
    this.#line = { offset, line };
    return line;
  }
}

function isEvaluation({ name, object, module, free }: Callee, node: SyntaxNode): boolean {
  if (name === 'eval') return free || /^(?:globalThis|window|global|self)$/.test(nameOf(object?.node) ?? '');
  if (name === 'Function') return free;
  if (name === 'Script') return node.type === 'NewExpression' && module !== undefined;
  return EVALUATES.test(name);
}

function startsProgram({ name, object, module }: Callee, values: Values): boolean {
  if (STARTS.test(name)) return true;
  if (name !== 'exec') return false;
  if (module !== undefined) return PROCESS_MODULE.test(module);
  return object !== undefined && PROCESS_MODULE.test(values.moduleOf(object) ?? '');
}

function nameOf(node: SyntaxNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  return node.type === 'Identifier' ? textIn(node, 'name') : propertyOf(node);
}

function hostIn(url: string): string | undefined {
  return /^(?:https?|wss?):\/\/(?:[^/@\s]{1,200}@)?(\[[^\]/]{1,60}\]|[^/:?#\s]{1,255})/i.exec(url)?.[1]?.toLowerCase();
}

function isPublicAddress(host: string): boolean {
  const text = host.replace(/^\[|\]$/g, '');
  if (METADATA_SERVERS_AND_RESOLVERS.has(text) || !/^[\d.]{7,15}$|:/.test(text) || !ipaddr.isValid(text)) return false;
  return ipaddr.parse(text).range() === 'unicast';
}
