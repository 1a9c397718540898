import {
  Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

export type Files = Readonly<Record<string, string>>;

export interface Operator {
  readonly id: string;
  readonly what: string;
  readonly rewrite: (files: Files) => Files | undefined;
}

type Tree = Document.Parsed;

const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;
const MOVED = 'moved_value';
const COMPOSITE = '.github/actions/moved/action.yml';
const CALLED = '.github/workflows/moved.yml';

function read(text: string): Tree | undefined {
  const tree = parseDocument(text);
  if (tree.errors.length > 0 || !isMap(tree.contents)) return undefined;
  visit(tree, { Alias: (_, node) => node.resolve(tree)?.clone() as YAMLMap | undefined });
  visit(tree, {
    Node: (_, node) => {
      delete node.comment;
      delete node.commentBefore;
      node.spaceBefore = false;
      if (!isAlias(node)) delete node.anchor;
    },
  });
  tree.commentBefore = null;
  tree.comment = null;
  return tree;
}

const write = (tree: Tree): string => tree.toString({ lineWidth: 0 });

/** Returns the files as the other operators write them, so that only the rewriting differs. */
export function plain(files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, rewritten(text, () => true) ?? text]));
}

function rewritten(text: string, change: (tree: Tree) => boolean): string | undefined {
  const tree = read(text);
  return tree !== undefined && change(tree) ? write(tree) : undefined;
}

function eachWorkflow(change: (tree: Tree, path: string) => boolean): Operator['rewrite'] {
  return (files) => {
    let changed = false;
    const entries = Object.entries(files).map(([path, text]): [string, string] => {
      const other = WORKFLOW.test(path) ? rewritten(text, (tree) => change(tree, path)) : undefined;
      changed ||= other !== undefined;
      return [path, other ?? rewritten(text, () => true) ?? text];
    });
    return changed ? Object.fromEntries(entries) : undefined;
  };
}

function eachExpression(change: (expression: string) => string): Operator['rewrite'] {
  return (files) => {
    let changed = false;
    const entries = Object.entries(files).map(([path, text]): [string, string] => {
      const other = rewritten(text, (tree) => {
        visit(tree, {
          Scalar: (_, node) => {
            if (typeof node.value !== 'string') return;
            const value = node.value.replace(/\$\{\{[^}]*\}\}/g, change);
            changed ||= value !== node.value;
            node.value = value;
          },
        });
        return true;
      });
      return [path, other ?? text];
    });
    return changed ? Object.fromEntries(entries) : undefined;
  };
}

function jobsOf(tree: Tree): { readonly id: string; readonly job: YAMLMap }[] {
  const all = tree.get('jobs');
  if (!isMap(all)) return [];
  return all.items.flatMap(({ key, value }) => (isMap(value) ? [{ id: String(key), job: value }] : []));
}

function stepsOf(job: YAMLMap): YAMLMap[] {
  const steps = job.get('steps');
  return isSeq(steps) ? steps.items.filter((step) => isMap(step)) : [];
}

function textAt(map: YAMLMap, key: string): string | undefined {
  const value = map.get(key);
  return typeof value === 'string' ? value : undefined;
}

const PAYLOAD = /\$\{\{\s*(github\.(?:event\.[\w.]+|head_ref))\s*\}\}/;

function throughOther(
  instead: (expression: string, tree: Tree, job: YAMLMap, step: YAMLMap) => string | undefined,
): Operator['rewrite'] {
  return eachWorkflow((tree) => {
    for (const { job } of jobsOf(tree)) {
      for (const step of stepsOf(job)) {
        const run = textAt(step, 'run');
        const [whole, path] = PAYLOAD.exec(run ?? '') ?? [];
        if (run === undefined || whole === undefined || path === undefined) continue;
        const other = instead(whole, tree, job, step);
        if (other === undefined) continue;
        step.set('run', run.replaceAll(whole, other));
        return true;
      }
    }
    return false;
  });
}

function blockIn(tree: Tree, map: YAMLMap, key: string): YAMLMap | undefined {
  if (!map.has(key)) map.set(key, tree.createNode({}));
  const block = map.get(key);
  return isMap(block) ? block : undefined;
}

function renameJobs(files: Files): Files | undefined {
  return eachWorkflow((tree) => {
    const ids = jobsOf(tree).map(({ id }) => id);
    const all = tree.get('jobs');
    if (!isMap(all) || ids.length === 0) return false;
    for (const item of all.items) item.key = new Scalar(`renamed-${String(item.key)}`);
    for (const { job } of jobsOf(tree)) {
      const needs = job.get('needs');
      if (typeof needs === 'string') job.set('needs', `renamed-${needs}`);
      else if (isSeq(needs))
        for (const item of needs.items) if (isScalar(item)) item.value = `renamed-${String(item.value)}`;
    }
    visit(tree, {
      Scalar: (_, node) => {
        if (typeof node.value !== 'string' || !/\b(?:needs|jobs)\b/.test(node.value)) return;
        node.value = ids.reduce(
          (text, id) => text.replaceAll(new RegExp(`\\b(needs|jobs)\\.${id}\\b`, 'g'), `$1.renamed-${id}`),
          node.value,
        );
      },
    });
    return true;
  })(files);
}

function renameSteps(files: Files): Files | undefined {
  return eachWorkflow((tree) => {
    const steps = jobsOf(tree).flatMap(({ job }) => stepsOf(job));
    const ids = steps.flatMap((step) => textAt(step, 'id') ?? []);
    if (ids.length === 0) return false;
    for (const step of steps) if (step.has('id')) step.set('id', `renamed-${textAt(step, 'id') ?? ''}`);
    visit(tree, {
      Scalar: (_, node) => {
        if (typeof node.value !== 'string') return;
        node.value = ids.reduce(
          (text, id) => text.replaceAll(new RegExp(`\\bsteps\\.${id}\\b`, 'g'), `steps.renamed-${id}`),
          node.value,
        );
      },
    });
    return true;
  })(files);
}

function moveToCalled(files: Files): Files | undefined {
  if (CALLED in files) return undefined;
  let called: string | undefined;
  const moved = eachWorkflow((tree) => {
    const found = jobsOf(tree).filter(({ job }) => isSeq(job.get('steps')));
    const text = JSON.stringify(tree.toJS());
    const [only] = found;
    if (called !== undefined || found.length !== 1 || only === undefined || jobsOf(tree).length !== 1) return false;
    if (/workflow_call|workflow_dispatch|"needs"|\binputs\.|"environment"/.test(text)) return false;
    const own = new Map(['env', 'defaults'].flatMap((key) => (tree.has(key) ? [[key, tree.get(key)]] : [])));
    const other = parseDocument('on: workflow_call\njobs: {}\n');
    for (const [key, value] of own) other.set(key, value);
    other.setIn(['jobs', only.id], only.job);
    called = write(other);
    const call = tree.createNode({ uses: `./${CALLED}`, secrets: 'inherit' }) as YAMLMap;
    for (const key of ['permissions', 'if', 'concurrency'])
      if (key !== 'if' && only.job.has(key)) call.set(key, only.job.get(key));
    tree.setIn(['jobs', only.id], call);
    return true;
  })(files);
  return moved === undefined || called === undefined ? undefined : { ...moved, [CALLED]: called };
}

function moveToComposite(files: Files): Files | undefined {
  if (COMPOSITE in files) return undefined;
  let action: string | undefined;
  const moved = eachWorkflow((tree) => {
    for (const { job } of jobsOf(tree)) {
      if (action !== undefined) return false;
      const steps = job.get('steps');
      if (!isSeq(steps)) continue;
      for (const [index, step] of steps.items.entries()) {
        if (!isMap(step) || textAt(step, 'run') === undefined) continue;
        const own = step;
        if (/secrets|needs\.|steps\.|inputs\.|"shell"|timeout-minutes|"env\./.test(JSON.stringify(own.toJSON())))
          continue;
        if (own.has('id') || own.has('continue-on-error')) continue;
        const other = parseDocument(
          'name: moved\ndescription: A step of a job\nruns: { using: composite, steps: [] }\n',
        );
        const inner = own.clone() as YAMLMap;
        for (const key of ['if', 'name']) inner.delete(key);
        inner.set('shell', 'bash');
        other.addIn(['runs', 'steps'], inner);
        action = write(other);
        const call = tree.createNode({ uses: `./${COMPOSITE.replace('/action.yml', '')}` }) as YAMLMap;
        if (own.has('if')) call.set('if', own.get('if'));
        steps.set(index, call);
        return true;
      }
    }
    return false;
  })(files);
  return moved === undefined || action === undefined ? undefined : { ...moved, [COMPOSITE]: action };
}

function share(tree: Tree): boolean {
  const found = jobsOf(tree).filter(({ job }) => isSeq(job.get('steps')));
  for (const [index, { id, job }] of found.entries()) {
    const steps = job.get('steps') as YAMLSeq;
    steps.anchor = `shared${index}`;
    const copy = job.clone() as YAMLMap;
    copy.set('steps', new Alias(steps.anchor));
    tree.setIn(['jobs', `${id}-again`], copy);
  }
  return found.length > 0;
}

function reversed(map: YAMLMap): boolean {
  map.items.reverse();
  return map.items.length > 1;
}

export const OPERATORS: readonly Operator[] = [
  { id: 'rename-jobs', what: 'other ids of jobs', rewrite: renameJobs },
  { id: 'rename-steps', what: 'other ids of steps', rewrite: renameSteps },
  {
    id: 'reorder-keys',
    what: 'keys of jobs and steps the other way round',
    rewrite: eachWorkflow((tree) =>
      jobsOf(tree)
        .flatMap(({ job }) => [job, ...stepsOf(job)].map(reversed))
        .some(Boolean),
    ),
  },
  {
    id: 'reorder-jobs',
    what: 'jobs the other way round',
    rewrite: eachWorkflow((tree) => {
      const all = tree.get('jobs');
      return isMap(all) && reversed(all);
    }),
  },
  {
    id: 'flow',
    what: 'flow collections',
    rewrite: eachWorkflow((tree) => {
      visit(tree, {
        Collection: (_, node) => {
          node.flow = true;
        },
        Scalar: (_, node) => {
          if (typeof node.value === 'string') node.type = 'QUOTE_DOUBLE';
        },
      });
      return true;
    }),
  },
  { id: 'alias', what: 'steps behind YAML aliases', rewrite: eachWorkflow(share) },
  {
    id: 'event-list',
    what: 'events as a mapping',
    rewrite: eachWorkflow((tree) => {
      const on = tree.get('on');
      const names = typeof on === 'string' ? [on] : isSeq(on) ? (on.toJSON() as string[]) : undefined;
      if (names === undefined) return false;
      tree.set('on', tree.createNode(Object.fromEntries(names.map((name) => [name, null]))));
      return true;
    }),
  },
  {
    id: 'needs-list',
    what: 'a list of needed jobs',
    rewrite: eachWorkflow((tree) => {
      const single = jobsOf(tree).filter(({ job }) => typeof job.get('needs') === 'string');
      for (const { job } of single) job.set('needs', tree.createNode([job.get('needs')]));
      return single.length > 0;
    }),
  },
  {
    id: 'job-permissions',
    what: 'permissions of the workflow at each job',
    rewrite: eachWorkflow((tree) => {
      const own = tree.get('permissions', true);
      const all = jobsOf(tree);
      if (own === undefined || all.length === 0) return false;
      for (const { job } of all)
        if (!job.has('permissions')) job.set('permissions', tree.createNode((own as Scalar).toJSON()));
      tree.delete('permissions');
      return true;
    }),
  },
  {
    id: 'index',
    what: 'fields named by an index',
    rewrite: eachExpression((expression) =>
      expression.replace(/\bgithub\.event\.(\w+)\.(\w+)/g, "github['event']['$1']['$2']"),
    ),
  },
  {
    id: 'letters',
    what: 'contexts in other letters',
    rewrite: eachExpression((expression) => expression.replace(/\bgithub\.(event|head_ref)\b/g, 'GitHub.$1')),
  },
  {
    id: 'owner-letters',
    what: 'owners of actions in other letters',
    rewrite: eachWorkflow((tree) => {
      let changed = false;
      for (const step of jobsOf(tree).flatMap(({ job }) => stepsOf(job))) {
        const uses = textAt(step, 'uses');
        if (uses === undefined || !/^[a-z][\w-]*\//.test(uses)) continue;
        step.set('uses', uses.charAt(0).toUpperCase() + uses.slice(1));
        changed = true;
      }
      return changed;
    }),
  },
  {
    id: 'condition',
    what: 'conditions in parentheses',
    rewrite: eachWorkflow((tree) => {
      const all = jobsOf(tree).flatMap(({ job }) => [job, ...stepsOf(job)]);
      const plainOnes = all.filter((each) => textAt(each, 'if')?.includes('${{') === false);
      for (const each of plainOnes) each.set('if', `\${{ (${textAt(each, 'if') ?? ''}) }}`);
      return plainOnes.length > 0;
    }),
  },
  {
    id: 'shell',
    what: 'a shell by its name',
    rewrite: eachWorkflow((tree) => {
      if (JSON.stringify(tree.toJS()).match(/windows|"shell"|matrix/)) return false;
      const scripts = jobsOf(tree).flatMap(({ job }) => stepsOf(job).filter((step) => step.has('run')));
      for (const step of scripts) step.set('shell', 'bash');
      return scripts.length > 0;
    }),
  },
  {
    id: 'group',
    what: 'scripts inside a condition of the shell',
    rewrite: eachWorkflow((tree) => {
      if (JSON.stringify(tree.toJS()).match(/windows|"shell"|matrix/)) return false;
      const scripts = jobsOf(tree).flatMap(({ job }) =>
        stepsOf(job).filter((step) => textAt(step, 'run') !== undefined),
      );
      for (const step of scripts)
        step.set('run', `set -eu\nif true; then\n${(textAt(step, 'run') ?? '').trimEnd()}\nfi\n`);
      return scripts.length > 0;
    }),
  },
  {
    id: 'names',
    what: 'names for jobs and steps',
    rewrite: eachWorkflow((tree) => {
      for (const { job } of jobsOf(tree))
        for (const each of [job, ...stepsOf(job)]) if (!each.has('name')) each.set('name', 'Part of the work');
      return jobsOf(tree).length > 0;
    }),
  },
  {
    id: 'variable',
    what: 'a variable of the job',
    rewrite: throughOther((expression, tree, job) => {
      blockIn(tree, job, 'env')?.set(MOVED.toUpperCase(), expression);
      return `\${{ env.${MOVED.toUpperCase()} }}`;
    }),
  },
  {
    id: 'output',
    what: 'an output of a step before',
    rewrite: throughOther((expression, tree, job, step) => {
      const steps = job.get('steps') as YAMLSeq;
      const before = { id: MOVED, env: { VALUE: expression }, run: 'echo "value=$VALUE" >> "$GITHUB_OUTPUT"' };
      steps.items.splice(steps.items.indexOf(step), 0, tree.createNode(before));
      return `\${{ steps.${MOVED}.outputs.value }}`;
    }),
  },
  {
    id: 'job-output',
    what: 'an output of another job',
    rewrite: throughOther((expression, tree, job) => {
      if (job.has('needs')) return undefined;
      const before = { 'runs-on': 'ubuntu-latest', outputs: { value: expression }, steps: [{ run: 'true' }] };
      if (job.has('if')) return undefined;
      tree.setIn(['jobs', MOVED], tree.createNode(before));
      job.set('needs', MOVED);
      return `\${{ needs.${MOVED}.outputs.value }}`;
    }),
  },
  {
    id: 'matrix',
    what: 'a value of a matrix',
    rewrite: throughOther((expression, tree, job) => {
      if (job.has('strategy')) return undefined;
      job.set('strategy', tree.createNode({ matrix: { [MOVED]: [expression] } }));
      return `\${{ matrix.${MOVED} }}`;
    }),
  },
  { id: 'called-workflow', what: 'a job in a called workflow', rewrite: moveToCalled },
  { id: 'composite', what: 'a script in a local composite action', rewrite: moveToComposite },
];
