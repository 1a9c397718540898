/** Buttons elsewhere on the page belong to the form of a scan by this id. */
export const SCAN_FORM_ID = 'scan';
