"""What is known: structures, their names in English and Chinese, codes and sides."""
