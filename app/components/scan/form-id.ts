/** Buttons elsewhere on the page submit the scan form through this id. */
export const SCAN_FORM_ID = 'scan';
