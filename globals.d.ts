/** Node's fetch accepts streams, which the DOM types lack. */
interface RequestInit {
  duplex?: 'half';
}
