/** Leads to the page of a rule. */
export function RuleLink({ id }: { readonly id: string }) {
  return (
    <a href={`/rules/${id}`} className="link font-mono text-xs whitespace-nowrap">
      {id}
    </a>
  );
}
