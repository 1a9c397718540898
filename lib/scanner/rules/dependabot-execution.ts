import { replaceScalar } from '#lib/workflow/edits/scalars.ts';
import type { Dependabot, Text } from '#lib/workflow/model/model.ts';
import { textOf } from '#lib/workflow/parse/fields.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

type Message = 'withRegistries' | 'alone';

export const dependabotExecution = defineRule({
  id: 'dependabot-execution',
  meta: {
    title: 'Dependabot can execute code from dependencies',
    why: 'With this setting, an update runs code from the manifests it reads, such as a gemspec or a setup.py. That code runs where the credentials of your private registries are in use.',
    attack:
      'An attacker publishes a version of a dependency whose build script reads the registry credentials. Dependabot’s next update runs it before anyone has reviewed the version.',
    recommendation:
      'Set `insecure-external-code-execution: deny`, or remove the setting from entries without private registries.',
    limits: 'Only Dependabot’s configuration is read. Equivalent settings of other update bots are not checked.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/code-security/dependabot/working-with-dependabot/dependabot-options-reference#insecure-external-code-execution--',
      'https://docs.github.com/code-security/dependabot/working-with-dependabot/configuring-access-to-private-registries-for-dependabot',
    ],
    messages: {
      withRegistries:
        'Updates for {{ecosystem}} can execute code from dependencies next to the credentials of private registries.',
      alone: 'Updates for {{ecosystem}} can execute code from dependencies.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            registries:
              gems:
                type: rubygems-server
                url: https://gems.example.com
                token: \${{ secrets.GEMS }}
            updates:
              - package-ecosystem: bundler
                directory: /
                registries: '*'
                # expect: withRegistries
                insecure-external-code-execution: allow
                schedule: { interval: weekly }
              - package-ecosystem: pip
                directory: /
                # expect: alone
                insecure-external-code-execution: "allow"
                schedule: { interval: weekly }
          `,
        },
        fixed: yaml`
          version: 2
          registries:
            gems:
              type: rubygems-server
              url: https://gems.example.com
              token: \${{ secrets.GEMS }}
          updates:
            - package-ecosystem: bundler
              directory: /
              registries: '*'
              # expect: withRegistries
              insecure-external-code-execution: deny
              schedule: { interval: weekly }
            - package-ecosystem: pip
              directory: /
              # expect: alone
              insecure-external-code-execution: deny
              schedule: { interval: weekly }
        `,
      },
    ],
    good: [
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              - package-ecosystem: bundler
                directory: /
                registries: '*'
                insecure-external-code-execution: deny
                schedule: { interval: weekly }
              - package-ecosystem: pip
                directory: /
                registries: [python]
                schedule: { interval: weekly }
          `,
        },
      },
    ],
  },
  check: { dependabot: check },
});

function* check(dependabot: Dependabot): Generator<Report<Message>> {
  for (const { ecosystem, mapping } of dependabot.updates) {
    const setting = textOf(mapping, 'insecure-external-code-execution');
    if (setting?.value !== 'allow') continue;
    const registries = valueOf(mapping, 'registries');
    const configured = registries?.kind === 'sequence' ? registries.items.length > 0 : registries !== undefined;
    yield {
      message: configured ? 'withRegistries' : 'alone',
      data: { ecosystem: ecosystem?.value ?? 'an ecosystem' },
      at: dependabot,
      span: setting.span,
      severity: configured ? 'MEDIUM' : 'LOW',
      fix: deny(setting),
    };
  }
}

function deny(setting: Text): Fix | undefined {
  const edit = replaceScalar(setting, 'deny');
  return edit && { safety: 'review', edits: [edit] };
}
