import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { startDatabase } from '#lib/embedded/database.ts';
import { DATABASE_TYPES, generateDatabaseTypes } from './database-types.ts';

const key = () => randomBytes(32).toString('hex');
const database = await startDatabase({ store: 'memory', publishableKey: key(), secretKey: key(), jwtSecret: key() });
try {
  writeFileSync(DATABASE_TYPES, await generateDatabaseTypes(database.sql));
} finally {
  await database.stop();
}
