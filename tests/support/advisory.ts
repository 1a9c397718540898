export function advisory({
  ghsa_id = 'GHSA-0000-0000-0000',
  name,
  severity = 'high',
  published_at = '2026-01-01T00:00:00Z',
  range,
  cwe,
}: {
  readonly ghsa_id?: string;
  readonly name: string;
  readonly severity?: 'low' | 'medium' | 'high' | 'critical';
  readonly published_at?: string;
  readonly range: string;
  readonly cwe?: string;
}): Record<string, unknown> {
  return {
    ghsa_id,
    cve_id: null,
    url: `https://api.github.com/advisories/${ghsa_id}`,
    html_url: `https://github.com/advisories/${ghsa_id}`,
    repository_advisory_url: null,
    summary: name,
    description: null,
    type: 'reviewed',
    severity,
    source_code_location: null,
    identifiers: [],
    references: [],
    published_at,
    updated_at: published_at,
    github_reviewed_at: null,
    nvd_published_at: null,
    withdrawn_at: null,
    vulnerabilities: [
      {
        package: { ecosystem: 'actions', name },
        vulnerable_version_range: range,
        first_patched_version: null,
        vulnerable_functions: [],
      },
    ],
    cvss: null,
    cwes: cwe === undefined ? [] : [{ cwe_id: cwe, name: cwe }],
    credits: [],
  };
}
