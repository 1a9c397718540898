export const PASSING_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'aszc/change-string-case-action': ['string'],
  'bluwy/substitute-string-action': ['_input-text'],
  'frabert/replace-string-action': ['string'],
  'haya14busa/action-cond': ['if_true', 'if_false'],
  'jungwinter/split': ['msg'],
  'mad9000/actions-find-and-replace-string': ['source'],
  'winterjung/split': ['msg'],
  'xom9ikk/split': ['string'],
};
