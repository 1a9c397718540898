export const PATH_FORMATS = ['text', 'html', 'json', 'mermaid', 'sarif'] as const;
export type PathFormat = (typeof PATH_FORMATS)[number];
