package main

func Example() {
	main()
	// Output:
	// retriever  blame 0.889, its fix alone resolves 89 %
	// writer     blame 0.000, its fix alone resolves 0 %
}
