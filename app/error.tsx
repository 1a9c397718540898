'use client';

export default function Failure() {
  return (
    <>
      <h1>Something went wrong here</h1>
      <p>The page could not be shown. Reload it, or try again later.</p>
    </>
  );
}
