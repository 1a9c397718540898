export default function NotFound() {
  return (
    <>
      <h1>There is nothing at this address</h1>
      <p>
        It may have moved or never existed. <a href="/">Start again</a>.
      </p>
    </>
  );
}
