import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { scanRepository } from '../scan.ts';

it.each(Object.getOwnPropertyNames(Object.prototype))('no rule fails because a repository writes %s', (name) => {
  const workflow = `on: { ${name}: , pull_request_target: { types: [${name}] }, workflow_call: { inputs: { ${name}: { type: string } } } }
permissions: { ${name}: write, id-token: write }
env: { ${name}: "\${{ inputs.${name} }}" }
jobs:
  ${name}:
    runs-on: \${{ matrix.${name} }}
    strategy: { matrix: { ${name}: [${name}] } }
    environment: ${name}
    if: ${name}(github.event.${name}) || contains(${name}, github.${name})
    outputs: { ${name}: "\${{ steps.${name}.outputs.${name} }}" }
    steps:
      - uses: ${name}/${name}@${name}
        with: { ${name}: "\${{ github.head_ref }}" }
      - uses: actions/github-script@v7
        with: { script: "github.rest.${name}.${name}(context.payload.${name}); core.setOutput('${name}', ${name})" }
      - id: ${name}
        shell: ${name}
        run: ${name}
      - run: |
          ${name} install "$${name}" -c "\${{ github.head_ref }}" >> "$GITHUB_OUTPUT"
          gh api x | ${name} | ${name} x >> "$${name}"
          curl https://a.${name}.com/x | ${name}
          curl -o ${name} https://${name}/${name} && ${name} ${name}
          ${name} publish && npx ${name} ${name}
          V=$(${name} "$B"); ${name}="$V"; eval "$${name}"
          echo "\${{ ${name} }} \${{ github.${name} }}" >> \${{ ${name} }}
`;
  const files = [{ path: '.github/workflows/a.yml', text: workflow }];
  const { findings, diagnostics } = scanRepository(createRepository(files));
  expect(diagnostics.filter(({ message }) => message.includes('failed here'))).toEqual([]);
  expect(findings).not.toEqual([]);
});
