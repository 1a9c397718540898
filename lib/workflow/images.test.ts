import { expect, it } from 'vitest';
import { imagesOf } from './images.ts';
import { createRepository } from './repository.ts';

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

it('takes each literal that an expression may give', () => {
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
])('sees no foreign image in %s', (line) => {
  expect(found(`steps:\n  - run: |\n      ${line}`)).toEqual([]);
});
