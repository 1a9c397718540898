/** Header with the CSP nonce, which the proxy sets on every page request. */
export const NONCE_HEADER = 'x-chainbreak-nonce';
