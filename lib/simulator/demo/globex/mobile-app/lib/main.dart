void main() => print('Sensors: none');
