import type { RulePage } from '#lib/services/pages/rule-page.ts';
import { CopiedCode } from '../domain/copied-code.tsx';
import { Section } from '../ui/frame.tsx';

export function Suppress({ id, meta }: Pick<RulePage, 'id' | 'meta'>) {
  const setting = meta.surface === 'repo-settings';
  const comment = `# chainbreak: ignore[${id}] Why it is safe here`;
  const path = setting ? '' : '\n    path: .github/workflows/example.yml';
  const entry = `ignore:\n  - rule: ${id}${path}\n    reason: Why it is safe here\n`;
  return (
    <Section id="suppress" title="How to suppress it">
      <p className="max-w-[70ch]">
        {setting
          ? 'A setting has no line to comment on, so suppress it in the configuration.'
          : 'Add a comment on the line of the finding or the line above, or configure it for a file, a folder or everywhere.'}{' '}
        Suppressed findings are still counted and listed with their reason.
      </p>
      <div className="mt-4 space-y-4">
        {!setting && <CopiedCode label="In the workflow" code={comment} copy="Copy comment" />}
        <CopiedCode label="In .github/chainbreak.yml" code={entry} copy="Copy entry" />
      </div>
    </Section>
  );
}
