export const ON_CLUSTER = process.env['TEST_TOPOLOGY'] === 'cluster';
