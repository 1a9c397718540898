export function RuleLink({ id }: { readonly id: string }) {
  return (
    <a href={`/rules/${id}`} className="link font-mono text-xs max-sm:wrap-anywhere sm:whitespace-nowrap">
      {id}
    </a>
  );
}

export function RuleLinks({ ids }: { readonly ids: readonly string[] }) {
  return ids.map((id, index) => (
    <span key={id}>
      <RuleLink id={id} />
      {index < ids.length - 1 && ', '}
    </span>
  ));
}
