export const SCAN_FORM_ID = 'scan';
