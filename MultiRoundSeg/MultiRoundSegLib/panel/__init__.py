"""What is touched: the only room that knows Slicer, Qt and MRML."""
