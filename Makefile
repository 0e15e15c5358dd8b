# Thin front end of CMake; `./bootstrap TARGET` installs what a target needs and then comes here.
#   make               library, tool and examples, in build/release
#   make demo          simulate a mechanism: summary, out/slider-crank.csv, .svg, .h5, and .html, which shows it
#   make results       a run with results in out/slider-crank.h5, and a plot of them (needs HDF5)
#   make petsc         libgenalpha_petsc and its tests on 1 to 4 processes (needs PETSc and MPI)
#   make gallery       a page for every mechanism of models/, with stills: out/gallery/index.html
#   make scale         a rope by C and a net by the tool, each divided over two processes (needs MPI)
#   make reproduce     the figures and claims of the five papers: out/reproduction/index.html
#   make test          all tests on the release build
#   make bench         genalpha against SUNDIALS IDA, Simbody, MuJoCo and the floor: out/bench.json, out/bench.svg
#   make campaign      thousands of hard runs, every accepted step checked (6 minutes)
#   make bench-page    docs/data/benchmarks.md from them
#   make check-python  tests of the Python package
#   make check-browser pages in a headless browser; one of the gates of check
#   make check-docs    columns, links and paths in documents and comments; another one
#   make check         slow gates: format, sizes, tests of each source, texts, optional packages,
#                      clang with sanitizers, threads, valgrind, fuzzers, pages
#   make format        rewrite the sources by clang-format; format-check only compares
#   make install       library, headers, tool, man page, HTML reference into PREFIX (/usr/local), below
#                      DESTDIR
#   make python        the Python package in a virtual environment: build/python/venv (docs/guide/python.md)
#   make docs          HTML reference, in build/docs (needs doxygen)
#   make clean         remove build/ and out/

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SOURCES = find include src problems results parallel tool papers tests examples bench python -name '*.[ch]'
TOOL = build/release/genalpha
CTEST = ctest -j2
MAKEFLAGS += --no-print-directory

# $(call test,PRESET,ctest options): all test programs of a preset, then how many checks they made
define test
cmake --build --preset $(1) -j $(JOBS)
$(CTEST) --preset $(1) $(2); status=$$?; sh tools/test_counts.sh build/$(1); exit $$status
endef

all: build/release/Makefile
	cmake --build --preset release -j $(JOBS)

# without the tests, which need more packages; test and check switch them on
build/release/Makefile: CMakePresets.json CMakeLists.txt
	cmake --preset release -DBUILD_TESTING=OFF
	@touch $@

# configured anew, as HDF5 may have come since; the page needs three.js and dygraphs, the .h5 file HDF5
demo: build/release/Makefile
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target genalpha_tool
	@mkdir -p out
	$(TOOL) run models/slider-crank.yaml --out out/slider-crank.csv --plot out/slider-crank.svg
	@if $(TOOL) run models/slider-crank.yaml --out out/slider-crank.h5 >/dev/null; \
	  then echo "demo: out/slider-crank.h5 has all columns, with names and units (docs/guide/results.md)"; fi
	@if $(TOOL) run models/slider-crank.yaml --out-page out/slider-crank.html >/dev/null; \
	  then echo "demo: open out/slider-crank.html in a browser to see the mechanism move"; \
	  else echo "demo: no page; open out/slider-crank.svg to see the curves"; fi

gallery: build/release/Makefile
	cmake --build --preset release -j $(JOBS) --target genalpha_tool
	sh tools/gallery.sh $(TOOL) out/gallery

# configured anew, as HDF5 may have come since
results: build/release/Makefile
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target genalpha_tool
	@mkdir -p out
	$(TOOL) run models/slider-crank.yaml --out out/slider-crank.h5
	$(TOOL) plot out/slider-crank.h5 slider.x,load.x bearing.fx,bearing.fy energy.total

# two processes of one program, as root too, on any number of processors; configured anew, as MPI may have come since
MPIEXEC = OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 mpiexec
scale: build/release/Makefile
	cmake --preset release -DGA_MPI=ON
	cmake --build --preset release -j $(JOBS) --target example_team_rope genalpha_tool genalpha_mpi
	@mkdir -p out
	$(MPIEXEC) -n 2 build/release/example_team_rope
	$(MPIEXEC) -n 2 $(TOOL) run models/net.yaml --set N=11 --t-end 0.2 --out out/net.csv

# configured anew, with the solver that is off by default
petsc:
	cmake --preset release -DBUILD_TESTING=ON -DGA_PETSC=ON
	cmake --build --preset release -j $(JOBS)
	$(CTEST) --preset release -R petsc

reproduce: build/release/Makefile
	cmake --build --preset release -j $(JOBS) --target genalpha_tool
	$(TOOL) reproduce --out out/reproduction

test:
	cmake --preset release -DBUILD_TESTING=ON
	$(call test,release,-LE valgrind)

# with the HTML reference, if doxygen is there to make it
install: all
	@if command -v doxygen >/dev/null 2>&1; then $(MAKE) --no-print-directory docs; fi
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

python: all
	cmake --install build/release --prefix "$(CURDIR)/build/python/prefix" >/dev/null
	sh tools/python.sh build/python/venv "$$(dirname "$$(find build/python/prefix -name genalpha.pc)")"
	@echo "make python: build/python/venv/bin/python has the package genalpha"

docs:
	rm -rf build/docs
	mkdir -p build/docs
	GA_VERSION=$$(sed -n 's/^#define GA_VERSION "\(.*\)"/\1/p' include/genalpha/genalpha.h) \
	  doxygen docs/doxygen/Doxyfile
	sh tools/check_docs.sh build/docs
	@echo "make docs: build/docs/index.html"

# configured anew, as SUNDIALS may have come since
bench: build/release/Makefile
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target genalpha_bench genalpha_tool
	@mkdir -p out
	OPENBLAS_NUM_THREADS=1 build/release/bench out
	/usr/bin/python3 bench/view.py $(TOOL) out || [ $$? -eq 77 ]
	@$(MAKE) bench-python || echo "make bench: without what Python costs; ./bootstrap python installs what is missing"

# what Python costs, in instructions: out/bench-python.json
bench-python: python
	@mkdir -p out
	sh bench/python/overhead.sh build/python/prefix/bin/genalpha build/python/venv/bin/python out/bench-python.json

# the Python package: its tests against installed files
check-python:
	cmake --preset release -DBUILD_TESTING=ON
	cmake --build --preset release -j $(JOBS)
	$(CTEST) --preset release -R '^(install_tree|python_package)$$' --output-on-failure

campaign: build/release/Makefile
	cmake --preset release -DBUILD_TESTING=ON
	cmake --build --preset release -j $(JOBS) --target genalpha_campaign properties_units accuracy_promise \
	  accuracy_honest_mechanisms contact_random_scenes
	OPENBLAS_NUM_THREADS=1 build/release/campaign
	OPENBLAS_NUM_THREADS=1 build/release/accuracy_promise all
	OPENBLAS_NUM_THREADS=1 build/release/accuracy_honest_mechanisms all
	OPENBLAS_NUM_THREADS=1 build/release/properties_units models 100
	OPENBLAS_NUM_THREADS=1 build/release/properties_units random 1 200
	OPENBLAS_NUM_THREADS=1 build/release/contact_random_scenes 0 400

# docs/data/benchmarks.md from the last `make bench`
bench-page:
	sh tools/benchmarks.sh out/bench.json docs/data/benchmarks.md.in >docs/data/benchmarks.md
	cp out/bench.svg docs/data/benchmarks.svg

check: format-check check-sizes check-tests check-docs check-optional check-debug check-threads \
	check-valgrind check-fuzz check-browser
	@echo "make check: all gates passed"

check-sizes:
	sh tools/check_sizes.sh

# every source has a test, every test a subject: docs/internals/tests.md
check-tests:
	sh tools/check_tests.sh

# texts: columns, links, paths that documents and comments name
check-docs:
	sh tools/check_docs_text.sh

# Tests that make long runs of what others run, too: once, by `make test`, is enough.
LONG_RUNS = '^(tool_(mpi|reproduce|resume|completion|converge)|problems_(chain|rolling_disk)|extrapolate_orders|properties_(sparse_and_dense|growth|orders|method_table|units|solver_independence|excitations|campaign|methods)|run_(step_size|rounding_noise|passages)|accuracy_honest)$$'

# What optional packages add: `make test` may have run without them, so the build is configured anew.
OPTIONAL_TESTS = 'mpi|mumps|module|results|solver|tool_(paths|import|models|recipes|sweep)'

check-optional:
	cmake --preset release -DBUILD_TESTING=ON
	$(call test,release,-LE valgrind -R $(OPTIONAL_TESTS))

# The other compiler, and its sanitizers. Without MPI: the processes of test_team are threads.
check-debug:
	cmake --preset debug -DBUILD_TESTING=ON -DGA_MPI=OFF
	$(call test,debug,-L short -E $(LONG_RUNS))

check-threads:
	cmake --preset threads -DBUILD_TESTING=ON
	cmake --build --preset threads -j $(JOBS) --target properties_threads mechanism_laws
	$(CTEST) --preset threads -R '^(properties_threads|mechanism_laws)$$'

# values that nobody has set, and leaks; writing beyond a block is what check-debug finds
check-valgrind:
	cmake --preset release -DBUILD_TESTING=ON
	cmake --build --preset release -j $(JOBS)
	$(CTEST) --preset release -L valgrind

check-browser:
	cmake --preset release -DBUILD_TESTING=ON
	cmake --build --preset release -j $(JOBS) --target genalpha_tool
	ctest --preset release -C browser -L browser

# the readers of model files and of robots; longer: sh tools/fuzz.sh 600
check-fuzz:
	cmake --preset debug -DBUILD_TESTING=ON -DGA_MPI=OFF
	cmake --build --preset debug -j $(JOBS) --target genalpha_static
	sh tools/fuzz.sh 15

format:
	$(SOURCES) | xargs clang-format -i

format-check:
	$(SOURCES) | xargs clang-format --dry-run -Werror

clean:
	rm -rf build out

.PHONY: all demo petsc gallery check-browser results scale reproduce test install python docs bench bench-python campaign bench-page check check-python check-sizes check-tests check-docs \
	check-optional check-debug check-threads check-valgrind check-fuzz \
	format format-check clean
.NOTPARALLEL:
