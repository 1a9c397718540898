/** Node's fetch sends streams, which the types of the browser's do not know. */
interface RequestInit {
  duplex?: 'half';
}
