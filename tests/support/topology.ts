/** True if requests go to two instances of the built web app, over PostgreSQL and Redis servers. */
export const ON_CLUSTER = process.env['TEST_TOPOLOGY'] === 'cluster';
