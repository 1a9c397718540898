/** Actions that return what a file says, and the output that holds it. */
export const READING_ACTIONS: Readonly<Record<string, string>> = {
  'andstor/file-reader-action': 'contents',
  'conda/actions/read-file': 'content',
  'igorskyflyer/action-readfile': 'content',
  'juliangruber/read-file-action': 'content',
};
