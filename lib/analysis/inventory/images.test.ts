import { expect, it } from 'vitest';
import { applyEdits } from '#lib/workflow/edits/edit.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { imagesOf, imagesToPin } from './images.ts';

function found(job: string): string[] {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n${job.replace(/^/gm, '    ')}\n`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return workflows
    .flatMap((workflow) => Array.from(imagesOf(workflow)))
    .map(({ role, images }) => `${role} ${images.map((image) => image.text).join(' ')}`.trim());
}

it('follows a literal matrix, nested values and includes', () => {
  expect(
    found(
      `strategy: { matrix: { v: [1, 2], c: [{ image: a }], include: [{ v: 3, c: { image: b } }] } }\ncontainer: "\${{ matrix.c.image }}:\${{ matrix.v }}"`,
    ),
  ).toEqual(['container a:1 a:2 a:3 b:1 b:2 b:3']);
  expect(found(`strategy: { matrix: "\${{ fromJSON(inputs.m) }}" }\ncontainer: a:\${{ matrix.v }}`)).toEqual([
    'container',
  ]);
});

it('returns each literal that an expression can yield', () => {
  expect(found(`container: "\${{ inputs.old && 'a:1' || inputs.new && 'b' || null }}"`)).toEqual(['container a:1 b']);
  expect(found(`container: "\${{ inputs.tag == 'a' && inputs.image }}"`)).toEqual(['container']);
});

it.each([
  ['docker run --rm -it -v "$PWD":/src -w /src --entrypoint sh a/b:1 -c make', 'script a/b:1'],
  ['docker run -eNAME=x --env OTHER --pull=always a', 'script a'],
  ['sudo podman pull -q a:2', 'script a:2'],
  ['docker container run -d --name c a', 'script a'],
])('reads the image of %s', (line, expected) => {
  expect(found(`steps:\n  - run: |\n      ${line}`)).toEqual([expected]);
});

it.each([
  'docker build -t a:1 . && docker run a:2',
  'docker buildx build --load --tag a . ; docker run a',
  'docker tag b a; docker pull a',
  'docker run "$IMAGE"',
  'docker exec a sh',
  'docker compose run a',
  'docker run',
])('finds no remote image in %s', (line) => {
  expect(found(`steps:\n  - run: |\n      ${line}`)).toEqual([]);
});

function pinned(job: string): string {
  const head = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n';
  const text = `${head}${job.replace(/^/gm, '    ')}\n`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const places = workflows.flatMap((workflow) => Array.from(imagesOf(workflow), ({ pinAt }) => pinAt ?? []).flat());
  const marked = applyEdits(
    text,
    places.map((span) => ({ span, text: '@D' })),
  );
  return marked.slice(head.length).replace(/^ {4}/gm, '').trimEnd();
}

it.each([
  ['container: alpine:3', 'container: alpine:3@D'],
  ['container: { image: "alpine:3", options: --init }', 'container: { image: "alpine:3@D", options: --init }'],
  ['services: { db: { image: a/b } }', 'services: { db: { image: a/b@D } }'],
  ['steps: [{ uses: docker://a/b:1 }]', 'steps: [{ uses: docker://a/b:1@D }]'],
  ["steps:\n  - run: docker run 'a/b:1' x", "steps:\n  - run: docker run 'a/b:1@D' x"],
  [
    'steps:\n  - run: |\n      docker pull a:1\n      docker run a:1',
    'steps:\n  - run: |\n      docker pull a:1@D\n      docker run a:1@D',
  ],
])('returns where a digest follows the name in %j', (job, expected) => {
  expect(pinned(job)).toBe(expected);
});

it.each([
  ['the name is computed', 'container: a:${{ inputs.tag }}'],
  ['an alias repeats the name', 'container: &c a:1\nservices: { db: *c }'],
  ['the text has escapes', 'container: "a:\\x31"'],
  ['the file builds an image of that name', 'container: a:1\nsteps:\n  - run: docker build -t a:2 .'],
  ['a script needs the tag elsewhere', 'steps:\n  - run: |\n      docker pull a:1\n      docker save a:1 > a.tar'],
  ['a variable has the name, too', 'env: { IMAGE: a:1 }\nsteps:\n  - run: docker run a:1'],
  ['the image may come out of a file', 'steps:\n  - run: docker load -i a.tar && docker run a:1'],
  ['another program reads the name', 'steps:\n  - run: podman run a:1'],
])('offers no place for a digest if %s', (_, job) => {
  expect(pinned(job)).toBe(job);
});

it('lists each image that can be pinned once, without local images', () => {
  const text = `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    container: b:1
    services:
      c: { image: localhost:5000/c }
      d: { image: d@sha256:0 }
      b: { image: b:1 }
      e: { image: "\${{ inputs.e }}" }
      f: { image: f }
`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  expect(imagesToPin(repository).map((image) => image.text)).toEqual(['b:1', 'f']);
});
