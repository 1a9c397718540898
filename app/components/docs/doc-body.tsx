import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import type { ComponentProps, ReactNode } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { CopiedCode } from '../domain/copied-code.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import type { DocPage } from './catalog.ts';

type Node = NonNullable<ComponentProps<'div'>['children']>;
type HastNode = DocPage['tree']['children'][number];

const LABELS: Readonly<Record<string, string>> = {
  sh: 'Shell',
  yaml: 'YAML',
  json: 'JSON',
  js: 'JavaScript',
  toml: 'TOML',
  sql: 'SQL',
  dockerfile: 'Dockerfile',
};

/** A rendered page of the documentation: elements of known kinds only, so nothing in it can be markup of its own. */
export function DocBody({ tree }: Pick<DocPage, 'tree'>) {
  return (
    <div className="doc">
      {toJsxRuntime(tree, {
        Fragment,
        jsx,
        jsxs,
        passNode: true,
        // The content security policy allows no style attributes.
        tableCellAlignToStyle: false,
        components: {
          a: Anchor,
          h2: Heading2,
          h3: Heading3,
          pre: Code,
          td: Cell,
          th: HeaderCell,
          table: DocTable,
        },
      })}
    </div>
  );
}

function Anchor({ href = '', children }: ComponentProps<'a'>) {
  if (/^https?:/.test(href)) return <ExternalLink href={href}>{children as string}</ExternalLink>;
  return (
    <a href={href} className="link">
      {children}
    </a>
  );
}

function Heading2({ id, children }: ComponentProps<'h2'>) {
  return (
    <h2 id={id} className="group">
      <HeadingLink id={id}>{children}</HeadingLink>
    </h2>
  );
}

function Heading3({ id, children }: ComponentProps<'h3'>) {
  return (
    <h3 id={id} className="group">
      <HeadingLink id={id}>{children}</HeadingLink>
    </h3>
  );
}

function HeadingLink({ id, children }: { readonly id: string | undefined; readonly children: ReactNode }) {
  return (
    <a href={`#${id}`} className="text-fg no-underline hover:underline">
      {children}
      <span aria-hidden="true" className="ms-2 text-muted opacity-0 group-hover:opacity-100">
        #
      </span>
    </a>
  );
}

function Code({ node }: { readonly node?: HastNode | undefined }) {
  const code = node?.type === 'element' ? node.children.find((child) => child.type === 'element') : undefined;
  const names = code?.properties['className'];
  const language = Array.isArray(names) ? String(names[0]).replace('language-', '') : '';
  return (
    <CopiedCode
      language={language === 'yaml' ? 'yaml' : 'text'}
      label={LABELS[language] ?? 'Text'}
      code={textOf(code)}
      copy="Copy"
      group
    />
  );
}

function Cell({ align, children }: ComponentProps<'td'>) {
  return <td className={align === 'right' ? 'text-end' : undefined}>{children}</td>;
}

function HeaderCell({ align, children }: ComponentProps<'th'>) {
  if (children === undefined) return <td className="bg-subtle">{children}</td>;
  return <th className={align === 'right' ? 'text-end!' : undefined}>{children}</th>;
}

function DocTable({ children }: { readonly children?: Node }) {
  return (
    <ScrollRegion as="section" label="Table" group className="overflow-x-auto rounded-panel border border-line">
      <table>{children}</table>
    </ScrollRegion>
  );
}

function textOf(node: HastNode | undefined): string {
  if (node === undefined) return '';
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}
