import { innerIndent, insertKeys, setKey } from '#lib/workflow/edits/keys.ts';
import type { Dependabot, DependabotUpdate } from '#lib/workflow/model/model.ts';
import { textOf, valuesOf } from '#lib/workflow/parse/fields.ts';
import { entryOf, valueOf, type YamlMapping } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

const MINIMUM_DAYS = 7;

/** Ecosystems that support `cooldown`; true if they distinguish major, minor and patch versions. */
const ECOSYSTEMS: ReadonlyMap<string, boolean> = new Map([
  ['bundler', true],
  ['bun', true],
  ['cargo', true],
  ['composer', true],
  ['devcontainers', false],
  ['docker', false],
  ['docker-compose', false],
  ['dotnet-sdk', true],
  ['elm', true],
  ['github-actions', false],
  ['gitsubmodule', false],
  ['gomod', true],
  ['gradle', true],
  ['helm', false],
  ['maven', true],
  ['mix', true],
  ['npm', true],
  ['nuget', true],
  ['opentofu', false],
  ['pip', true],
  ['pub', true],
  ['swift', true],
  ['terraform', false],
  ['uv', true],
]);
const LEVELS = ['major', 'minor', 'patch'] as const;

type Message = 'missing' | 'short' | 'hollow';

export const dependabotCooldown = defineRule({
  id: 'dependabot-cooldown',
  meta: {
    title: 'Dependency updates have no cooldown',
    why: 'Most malicious releases are found and removed within days. Waiting a week before updating avoids nearly all of them; updating at once makes you one of the first victims.',
    attack:
      'An attacker with a maintainer’s account publishes a malicious version of a package. Dependabot proposes it the same day, the pull request’s tests run it, and auto-merge ships it.',
    recommendation:
      'Add `cooldown: { default-days: 7 }` to every entry of `updates`. Security updates are not delayed.',
    limits:
      'Only Dependabot’s configuration is read, not the release-age settings of other bots and package managers. Ecosystems that are not known to support a cooldown are skipped.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/code-security/dependabot/working-with-dependabot/dependabot-options-reference#cooldown-',
      'https://blog.yossarian.net/2025/11/21/We-should-all-be-using-dependency-cooldowns',
    ],
    messages: {
      missing: 'Updates for {{ecosystem}} have no cooldown, so releases younger than {{minimum}} days are proposed.',
      short: 'The cooldown for {{ecosystem}} is {{days}}; at least {{minimum}} days are recommended.',
      hollow: 'The cooldown for {{ecosystem}} does not cover {{uncovered}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              # expect: missing
              - package-ecosystem: "npm" # the front end
                directory: "/"
                schedule:
                  interval: "weekly" # Mondays
                labels: [deps]
              # expect: short
              - package-ecosystem: github-actions
                directory: /
                schedule: { interval: daily }
                cooldown:
                    default-days: 2
              # expect: missing
              - package-ecosystem: cargo
                directory: /
                cooldown:
                  semver-major-days: 14
                schedule: { interval: daily }
          `,
        },
        fixed: yaml`
          version: 2
          updates:
            # expect: missing
            - package-ecosystem: "npm" # the front end
              directory: "/"
              schedule:
                interval: "weekly" # Mondays
              cooldown:
                default-days: 7
              labels: [deps]
            # expect: short
            - package-ecosystem: github-actions
              directory: /
              schedule: { interval: daily }
              cooldown:
                  default-days: 7
            # expect: missing
            - package-ecosystem: cargo
              directory: /
              cooldown:
                default-days: 7
                semver-major-days: 14
              schedule: { interval: daily }
        `,
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              # expect: hollow
              - package-ecosystem: pip
                directory: /
                schedule: { interval: daily }
                cooldown: { default-days: 7, semver-patch-days: 1 }
              # expect: hollow
              - package-ecosystem: pip
                directory: /tools
                schedule: { interval: daily }
                cooldown: { default-days: 7, exclude: ['*'] }
              # expect: hollow
              - package-ecosystem: pip
                directory: /docs
                schedule: { interval: daily }
                cooldown: { default-days: 7, include: [sphinx] }
              # expect: missing
              - { package-ecosystem: docker, directory: /, schedule: { interval: daily } }
              # expect: missing
              - { package-ecosystem: opentofu, directory: /, schedule: { interval: daily } }
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              - package-ecosystem: npm
                directory: /
                schedule: { interval: daily }
                cooldown: { default-days: 7, include: ['*'], exclude: ['@acme/*'] }
              - package-ecosystem: gomod
                directory: /
                schedule: { interval: daily }
                cooldown: { semver-major-days: 30, semver-minor-days: 14, semver-patch-days: 7 }
              - package-ecosystem: gomod
                directory: /security-only
                schedule: { interval: daily }
                open-pull-requests-limit: 0
              - package-ecosystem: something-new
                directory: /
                schedule: { interval: daily }
          `,
        },
      },
    ],
  },
  check: { dependabot: check },
});

function* check(dependabot: Dependabot): Generator<Report<Message>> {
  for (const update of dependabot.updates) {
    const { ecosystem, mapping } = update;
    const semver = ECOSYSTEMS.get(ecosystem?.value.toLowerCase() ?? '');
    if (ecosystem === undefined || semver === undefined) continue;
    // A limit of 0 leaves only security updates, which no cooldown delays.
    if (textOf(mapping, 'open-pull-requests-limit')?.value === '0') continue;
    const cooldown = valueOf(mapping, 'cooldown');
    const verdict = cooldown?.kind === 'mapping' ? judge(cooldown, semver) : { message: 'missing' as const };
    if (verdict === undefined) continue;
    yield {
      message: verdict.message,
      data: {
        ecosystem: ecosystem.value,
        minimum: String(MINIMUM_DAYS),
        days: verdict.days ?? '',
        uncovered: verdict.uncovered ?? '',
      },
      at: dependabot,
      span: ecosystem.span,
      once: verdict.message,
      anchor: `${ecosystem.value} ${textOf(mapping, 'directory')?.value ?? ''}`,
      fix: verdict.message === 'hollow' ? undefined : wait(update),
    };
  }
}

function judge(
  cooldown: YamlMapping,
  semver: boolean,
): { message: Message; days?: string; uncovered?: string } | undefined {
  const days = (key: string): number | undefined => {
    const text = textOf(cooldown, key)?.value;
    return text === undefined || !/^\d{1,4}$/.test(text) ? undefined : Number(text);
  };
  const standard = days('default-days');
  const levels = semver ? LEVELS.map((level) => ({ level, days: days(`semver-${level}-days`) })) : [];
  if (standard === undefined && (levels.length === 0 || levels.some((level) => level.days === undefined))) {
    return { message: 'missing' };
  }
  if (standard !== undefined && standard < MINIMUM_DAYS)
    return { message: 'short', days: standard === 1 ? '1 day' : `${standard} days` };
  const early = levels.filter((level) => level.days !== undefined && level.days < MINIMUM_DAYS);
  if (early.length > 0) {
    return { message: 'hollow', uncovered: `${early.map(({ level }) => level).join(' and ')} versions` };
  }
  if (coversAll(valuesOf(valueOf(cooldown, 'exclude'))))
    return { message: 'hollow', uncovered: 'anything, because everything is excluded' };
  const included = valuesOf(valueOf(cooldown, 'include'));
  if (included !== undefined && included.length > 0 && !coversAll(included)) {
    return { message: 'hollow', uncovered: `dependencies outside its ${included.length} included names` };
  }
  return undefined;
}

function coversAll(patterns: readonly string[] | undefined): boolean {
  return patterns?.some((pattern) => /^\*+$/.test(pattern)) === true;
}

function wait({ mapping }: DependabotUpdate): Fix | undefined {
  if (mapping.flow || mapping.shared) return undefined;
  const cooldown = entryOf(mapping, 'cooldown');
  if (cooldown?.merged === true) return undefined;
  const days = { 'default-days': String(MINIMUM_DAYS) };
  if (cooldown?.value.kind === 'mapping') {
    const edit = setKey(cooldown.value, 'default-days', days['default-days']);
    return edit && { safety: 'safe', edits: [edit] };
  }
  if (cooldown !== undefined) return undefined;
  const edit = insertKeys(mapping, { cooldown: days }, { below: 'schedule', unit: innerIndent(mapping, 'schedule') });
  return edit && { safety: 'safe', edits: [edit] };
}
