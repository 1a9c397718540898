import { rules } from '../scanner/rules/index.ts';

/** The rules as clients list them. */
export function listRules() {
  return rules.map(({ id, meta: { category, title, severity, surface, why } }) => ({
    id,
    category,
    title,
    default_severity: severity,
    surface,
    description: why,
    doc_url: `/rules/${id}`,
  }));
}
