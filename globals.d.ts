/** Node's fetch accepts streams; the DOM types do not know that. */
interface RequestInit {
  duplex?: 'half';
}
