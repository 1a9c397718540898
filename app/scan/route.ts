import { scanForm } from '#lib/http/scan-form.ts';
import { scanPublicRepository } from '#lib/services/public-scans/scan.ts';

/** Two requests to the code host, each retried at most once. */
export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = scanForm(scanPublicRepository);
