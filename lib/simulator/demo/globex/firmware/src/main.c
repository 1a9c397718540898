int main(void) {
  for (;;) {
  }
}
