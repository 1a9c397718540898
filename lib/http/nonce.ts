export const NONCE_HEADER = 'x-chainbreak-nonce';

/** The path of the page, which layouts do not know otherwise. */
export const PATH_HEADER = 'x-page-path';
