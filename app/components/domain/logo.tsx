export function Logo() {
  return (
    <svg
      aria-hidden="true"
      width="24"
      height="24"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.25"
      strokeLinecap="round"
    >
      <path d="M9.5 7H7a5 5 0 0 0 0 10h2.5" />
      <path d="M14.5 7H17a5 5 0 0 1 0 10h-2.5" />
      <path d="M7.5 12h2M14.5 12h2" />
    </svg>
  );
}
