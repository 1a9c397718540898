import { parseArgs } from 'node:util';
import { rules } from '#lib/scanner/rules/index.ts';
import { OPERATORS } from './mutant-operators.ts';
import { type Mutant, mutantsOf } from './mutant-runs.ts';

const { values } = parseArgs({
  options: { rule: { type: 'string' }, operator: { type: 'string' }, show: { type: 'string', default: '0' } },
});

const operators = OPERATORS.filter(({ id }) => (values.operator ?? id) === id);
const chosen = rules.filter(({ id }) => (values.rule ?? id) === id);
const mutants = chosen.flatMap((rule) => mutantsOf(rule, operators));
const write = (line: string): void => void process.stdout.write(`${line}\n`);

function row(name: string, own: readonly Mutant[]): void {
  const bad = own.filter(({ kind }) => kind === 'bad');
  const good = own.filter(({ kind }) => kind === 'good');
  const cells = [
    bad.length,
    bad.filter(({ lost }) => lost > 0).length,
    good.length,
    good.filter(({ lost }) => lost > 0).length,
  ];
  write(name.padEnd(40) + cells.map((cell) => String(cell).padStart(10)).join(''));
}

const head = ['vulnerable', 'missed', 'safe', 'reported'].map((cell) => cell.padStart(10)).join('');
write(`${'rule'.padEnd(40)}${head}`);
for (const { id } of chosen) {
  const own = mutants.filter(({ rule }) => rule === id);
  if (values.rule !== undefined || own.some(({ lost }) => lost > 0)) row(id, own);
}
row('all rules', mutants);
write(`\n${'operator'.padEnd(40)}${head}`);
for (const { id, what } of operators)
  row(
    `${id}: ${what}`.slice(0, 39),
    mutants.filter(({ operator }) => operator === id),
  );

for (const { rule, operator, kind, example, files } of mutants
  .filter(({ lost }) => lost > 0)
  .slice(0, Number(values.show))) {
  write(`\n${rule}: ${operator} of ${kind} example ${example}`);
  for (const [path, text] of Object.entries(files)) write(`--- ${path}\n${text}`);
}
