import { scanForm } from '#lib/http/scan-form.ts';
import { scanPublicRepository } from '#lib/services/public-scans/scan.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = scanForm(scanPublicRepository);
