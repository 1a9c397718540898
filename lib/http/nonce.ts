/** Set by the proxy on each request for a page, whatever the client sent: what lets a script of this answer run. */
export const NONCE_HEADER = 'x-chainbreak-nonce';
