export const NONCE_HEADER = 'x-chainbreak-nonce';
